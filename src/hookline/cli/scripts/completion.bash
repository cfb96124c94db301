_hookline() {
    mapfile -t COMPREPLY < <(hookline __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
}
complete -o bashdefault -o default -F _hookline hookline
