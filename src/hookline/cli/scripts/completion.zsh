#compdef hookline
_hookline() {
    local -a found
    found=("${(@f)$(hookline __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=("${(@)found//:/\\:}")
    found=("${(@)found//$'\t'/:}")
    if [[ -n $found ]]; then _describe hookline found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _hookline "$@" # from a folder of fpath
else
    compdef _hookline hookline
fi
