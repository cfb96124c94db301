"""Evaluates a shell text without running it: which programs would start, with which words.

`evaluate.read_shell` returns a `reading.Reading` with a `Call` for each program that would start.
It evaluates what follows from the text alone. What it cannot know stays unknown; what it could not
read is listed as unverified. The walk of a text:

1. `parser` makes a tree with the grammar of bash, in a limited time. `lexer` splits what the
   grammar cannot read. `nodes` answers questions about a tree.
2. `evaluate` walks the statements of the tree. `state` holds what a shell would know meanwhile:
   variables, files, the folder, the calls so far.
3. `words` and `parameters` (`${NAME...}`, with `arithmetic`) make the words of a simple command,
   `redirects` what it reads and writes.
4. `simple_commands` decides what these words start: a command of the shell (`shell_builtins`), what
   a wrapper leaves (`wrappers`), a shell text (`shell_texts`, `deferred`, `makefiles`), a command
   on another machine (`remote_commands`) or for each item (`repeated_commands`), code of another
   language (`interpreters`), or a plain program. A text goes back to step 1, a command to step 4.
   `programs` has the tables: a new tool is a new row.
5. The state records a `Call`. `outputs` says what a simple program would print, for the next
   command of a pipe and for the word around a substitution. `find_arguments` reads those of `find`.

`windows` is a simpler reader for PowerShell and cmd. `budget` ends the work in time.
"""
