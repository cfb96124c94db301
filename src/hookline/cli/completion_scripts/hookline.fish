complete --command hookline --no-files --arguments '(hookline complete (commandline --tokenize --cut-at-cursor --current-process)[2..] (commandline --current-token --cut-at-cursor))'
