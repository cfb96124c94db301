
export const Hookline = async ({ directory }) => {
  const contexts = new Map() // session -> texts for its system prompt
  const remember = (session, answer) => {
    const text = findContext(answer)
    if (text) contexts.set(session, [...(contexts.get(session) ?? []), text])
  }
  return {
    "chat.message": async (message, output) => {
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
