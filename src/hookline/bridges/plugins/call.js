// Written by `hookline install HOST`; `hookline uninstall HOST` removes it.
// The host asks hookline at its events. When hookline does not run, no tool runs; all else goes on.
import { execFile } from "node:child_process"

const COMMAND = "HOOKLINE_COMMAND"
const SECONDS = "HOOKLINE_SECONDS"
const REFUSAL = "HOOKLINE_REFUSAL"

// Resolves to hookline's answer; `refusal` is the reason of a call that may not run.
const ask = (event, payload, cwd) =>
  new Promise((resolve, reject) => {
    const options = { cwd, timeout: SECONDS * 1000, killSignal: "SIGKILL", maxBuffer: 1 << 26 }
    const child = execFile(COMMAND[0], COMMAND.slice(1), options, (error, out, err) => {
      if (error?.code === 2) return resolve({ refusal: err.trim() || "refused by a hook" })
      if (error) return reject(new Error(`${REFUSAL} (${error.message})`))
      try {
        resolve(out.trim() ? JSON.parse(out) : {})
      } catch {
        reject(new Error("hookline did not answer with JSON, so this call is refused"))
      }
    })
    child.stdin?.on("error", () => {})
    child.stdin?.end(JSON.stringify({ hook_event_name: event, cwd, ...payload }))
  })

// Returns why a call may not run, or undefined after it has changed `input` as a hook wants.
// The host cannot ask a person here, so an ask is a refusal.
const refuse = (answer, input) => {
  const said = answer.hookSpecificOutput ?? {}
  const isRefused = ["deny", "ask", "defer"].includes(said.permissionDecision)
  if (answer.refusal || answer.continue === false || isRefused)
    return answer.refusal || said.permissionDecisionReason || answer.stopReason || "refused by a hook"
  if (said.updatedInput) {
    for (const key of Object.keys(input)) delete input[key]
    Object.assign(input, said.updatedInput)
  }
}

// Resolves to the answer at an event that is not before an action; a failure lets the agent go on.
const tell = async (event, payload, cwd) => {
  try {
    return await ask(event, payload, cwd)
  } catch {
    return {}
  }
}

// Returns why the host may not go on, or the agent may not stop.
const findRefusal = (answer) =>
  answer.refusal ||
  (answer.decision === "block" && (answer.reason || "refused by a hook")) ||
  (answer.continue === false && (answer.stopReason || "refused by a hook"))

// Returns the texts that the model is to read.
const findContext = (answer) => answer.hookSpecificOutput?.additionalContext
