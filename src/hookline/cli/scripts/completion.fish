function __hookline_complete
    set --local typed (commandline -opc) (commandline -ct)
    set --local found (hookline __complete $typed[2..] 2>/dev/null)
    if set --query found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --command hookline --no-files --arguments '(__hookline_complete)'
