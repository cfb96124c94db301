
export const Hookline = async ({ directory }) => ({
  "tool.execute.before": async (call, output) => {
    const payload = { session_id: call.sessionID, tool_name: call.tool, tool_use_id: call.callID }
    const answer = await ask("PreToolUse", { ...payload, tool_input: output.args }, directory)
    const reason = refuse(answer, output.args)
    if (reason) throw new Error(reason)
  },
  "tool.execute.after": async (call, output) => {
    const payload = { session_id: call.sessionID, tool_name: call.tool, tool_use_id: call.callID }
    const result = { tool_input: call.args ?? {}, tool_response: output.output }
    const answer = await ask("PostToolUse", { ...payload, ...result }, directory)
    const said = answer.hookSpecificOutput ?? {}
    const note = answer.refusal || (answer.decision === "block" && answer.reason) || said.additionalContext
    if (note) output.output += `\n${note}`
  },
})
