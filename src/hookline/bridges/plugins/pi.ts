
export default (pi: any) => {
  const contexts = new Map() // tool call, or "" for the next prompt -> texts for the model
  const remember = (place: string, answer: any) => {
    const text = findContext(answer)
    if (text) contexts.set(place, [...(contexts.get(place) ?? []), text])
  }
  const recall = (place: string) => {
    const texts = contexts.get(place) ?? []
    contexts.delete(place)
    return texts
  }
  const name = (context: any) => ({ session_id: context.sessionManager.getSessionId() })
  let redone = false // the agent works because a hook sent it back

  pi.on("session_start", async (event: any, context: any) => {
    const source = event.reason === "resume" ? "resume" : "startup"
    remember("", await tell("SessionStart", { ...name(context), source }, context.cwd))
  })
  pi.on("session_shutdown", async (_: any, context: any) => {
    await tell("SessionEnd", { ...name(context), reason: "other" }, context.cwd)
  })
  pi.on("input", async (event: any, context: any) => {
    if (event.source === "extension") return
    const answer = await tell("UserPromptSubmit", { ...name(context), prompt: event.text }, context.cwd)
    const reason = findRefusal(answer)
    if (reason) {
      context.ui.notify(reason, "warning")
      return { action: "handled" }
    }
    remember("", answer)
  })
  pi.on("before_agent_start", () => {
    const content = recall("").join("\n")
    if (content) return { message: { customType: "hookline", content, display: false } }
  })
  pi.on("tool_call", async (call: any, context: any) => {
    const payload = { ...name(context), tool_name: call.toolName, tool_use_id: call.toolCallId }
    const answer = await ask("PreToolUse", { ...payload, tool_input: call.input }, context.cwd)
    const reason = refuse(answer, call.input)
    if (reason) return { block: true, reason }
    remember(call.toolCallId, answer)
  })
  pi.on("tool_result", async (call: any, context: any) => {
    const payload = { ...name(context), tool_name: call.toolName, tool_use_id: call.toolCallId, tool_input: call.input }
    const text = call.content.map((part: any) => part.text ?? "").join("\n")
    const event = call.isError ? "PostToolUseFailure" : "PostToolUse"
    const result = call.isError ? { error: text } : { tool_response: text }
    const answer = await tell(event, { ...payload, ...result }, context.cwd)
    const notes = [...recall(call.toolCallId), findRefusal(answer) || findContext(answer)].filter(Boolean)
    if (notes.length) return { content: [...call.content, { type: "text", text: notes.join("\n") }] }
  })
  pi.on("agent_end", async (_: any, context: any) => {
    const answer = await tell("Stop", { ...name(context), stop_hook_active: redone }, context.cwd)
    redone = answer.decision === "block"
    try {
      if (redone) pi.sendUserMessage(answer.reason, { deliverAs: "followUp" })
    } catch {} // `pi -p` has ended by then
  })
}
