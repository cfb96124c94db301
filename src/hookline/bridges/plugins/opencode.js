
export const Hookline = async ({ client, directory }) => {
  const contexts = new Map() // session -> texts for its system prompt
  const prompts = new Map() // session -> agent and model of its last prompt
  const children = new Set() // sessions of subagents
  const broken = new Set() // sessions whose turn failed, or that the user interrupted
  const redone = new Set() // sessions that a stop hook sent back to work
  const returning = new Set() // those of them that have not begun yet
  const remember = (session, answer) => {
    const text = findContext(answer)
    if (text) contexts.set(session, [...(contexts.get(session) ?? []), text])
  }
  return {
    "chat.message": async (message, output) => {
      prompts.set(message.sessionID, { agent: output.message.agent, model: output.message.model })
      broken.delete(message.sessionID)
      if (returning.delete(message.sessionID)) return
      const session = { session_id: message.sessionID }
      if (!contexts.has(message.sessionID)) {
        contexts.set(message.sessionID, [])
        remember(message.sessionID, await tell("SessionStart", { ...session, source: "startup" }, directory))
      }
      const prompt = output.parts.map((part) => part.text ?? "").join("\n")
      const answer = await tell("UserPromptSubmit", { ...session, prompt }, directory)
      const reason = findRefusal(answer)
      if (reason) throw new Error(reason)
      remember(message.sessionID, answer)
    },
    event: async ({ event }) => {
      const session = event.properties.sessionID
      const isChild = event.type === "session.created" && event.properties.info?.parentID
      if (isChild) children.add(event.properties.info.id)
      if (event.type === "session.error") broken.add(session)
      if (event.type !== "session.idle" || children.has(session) || broken.has(session)) return
      const payload = { session_id: session, stop_hook_active: redone.delete(session) }
      const answer = await tell("Stop", payload, directory)
      const text = answer.refusal || (answer.decision === "block" && answer.reason)
      if (!text) return
      redone.add(session)
      returning.add(session)
      const body = { ...prompts.get(session), parts: [{ type: "text", text }] }
      await client.session.promptAsync({ path: { id: session }, body }) // `opencode run` has ended by then
    },
    "experimental.chat.system.transform": async (message, output) => {
      output.system.push(...(contexts.get(message.sessionID) ?? []))
    },
    "tool.execute.before": async (call, output) => {
      const payload = { session_id: call.sessionID, tool_name: call.tool, tool_use_id: call.callID }
      const answer = await ask("PreToolUse", { ...payload, tool_input: output.args }, directory)
      const reason = refuse(answer, output.args)
      if (reason) throw new Error(reason)
      remember(call.sessionID, answer)
    },
    "tool.execute.after": async (call, output) => {
      const payload = { session_id: call.sessionID, tool_name: call.tool, tool_use_id: call.callID }
      const result = { tool_input: call.args ?? {}, tool_response: output.output }
      const answer = await tell("PostToolUse", { ...payload, ...result }, directory)
      const note = findRefusal(answer) || findContext(answer)
      if (note) output.output += `\n${note}`
    },
  }
}
