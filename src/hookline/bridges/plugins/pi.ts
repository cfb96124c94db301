
export default (pi: any) =>
  pi.on("tool_call", async (call: any, context: any) => {
    const session = context.sessionManager.getSessionId()
    const payload = { session_id: session, tool_name: call.toolName, tool_use_id: call.toolCallId }
    const answer = await ask("PreToolUse", { ...payload, tool_input: call.input }, context.cwd)
    const reason = refuse(answer, call.input)
    if (reason) return { block: true, reason }
  })
