#compdef hookline

_hookline_completion() {
    compadd -- ${(f)"$(hookline complete "${(@)words[2,CURRENT]}")"}
}

compdef _hookline_completion hookline
