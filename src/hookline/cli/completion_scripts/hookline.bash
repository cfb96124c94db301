_hookline_completion() {
    local IFS=$'\n'
    COMPREPLY=( $(hookline complete "${COMP_WORDS[@]:1:COMP_CWORD}") )
}

complete -o default -F _hookline_completion hookline
