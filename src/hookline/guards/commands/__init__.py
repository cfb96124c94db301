"""The guard `commands`: refuses shell commands that destroy data, or send credentials away.

`judge` reads the text of a call of a tool (`tool_input`) with `hookline.text.script`, and gives
each program that would run to the rules of its name:

- files: `removal`, `overwrites`, `permissions`, with `places` (what a path leads to) and
  `system_files`; disks: `disks`
- Git: `git`; infrastructure, containers and the machine: `services`; databases: `databases`
- code of other languages: `foreign_code`; PowerShell and cmd: `windows`
- all calls together: `flow` follows secrets from where they are read (`credentials`) to what sends
  them away (`sinks`); `paranoid` has the rules for agents that read untrusted text

`arguments` reads options and operands. A rule yields a `Hit` (`hits`). `profiles` says whether it
counts, and what it asks for.
"""
