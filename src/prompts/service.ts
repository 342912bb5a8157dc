import type { Prompt } from "../ports/definitions.ts";
import { argument, embedCall, embedResource, embedToolNames, taskPrompt } from "./compose.ts";

/** Prompts about the service itself. */
export const servicePrompts: readonly Prompt[] = [
  taskPrompt({
    name: "onboard_newcomer",
    title: "Onboard a newcomer",
    description:
      "Shows a newcomer around by doing one small real thing with public tools, fitted to what they want to do here.",
    arguments: [argument("interest", "What the newcomer wants to do here.")],
    ask: "Show a newcomer around this service by doing something small and real together.",
    steps: [
      "Ask one question if the interest is not clear; otherwise choose one thing: render a form, validate and plan a small workflow, or look up a record.",
      "Do it with public tools, one call at a time, and say before each call what it is for.",
      "Explain the three ideas that matter as they come up: the envelope `{ok, data}`, public and protected tools, degraded answers.",
      "End with the next step they can take alone.",
    ],
    answer: [
      "Short turns, no lectures.",
      "Every call shown as it was sent.",
      "At the end: what they did, and three links to go on.",
    ],
    embed: async (args, context) => [
      await embedCall(context, "get_public_access_summary", {}),
      await embedResource(context, "svc://llms"),
    ],
  }),
  taskPrompt({
    name: "check_access",
    title: "Check access before acting",
    description:
      "Finds out which parts of an intended job are public and which need a key, and words the request for exactly the rights it needs.",
    arguments: [
      argument("job", "What you intend to do, in your own words.", true),
      argument("target", "A tool name, resource URI, method or path, if you know it already."),
    ],
    ask: "Find out what this job may do without a key, and what it needs a key for.",
    steps: [
      "Break the job into calls and name the tool for each.",
      "Take each one's verdict from `evaluate_agent_access`, with its rule id.",
      "Look for a way with public tools only, for example planning and previewing instead of running and sending.",
      "For what remains, name the smallest set of scopes.",
    ],
    answer: [
      "A table: step, tool, verdict, rule id, scope.",
      "The part you can do now.",
      "The request to the person for the rest: which scopes, for which calls, why.",
    ],
    embed: async (args, context) => [
      ...(args["target"] === undefined || args["target"] === ""
        ? []
        : [await embedCall(context, "evaluate_agent_access", { target: args["target"] })]),
      embedToolNames(context, (access) => access !== "public"),
    ],
  }),
  taskPrompt({
    name: "explain_degraded_answer",
    title: "Explain a degraded answer",
    description:
      "Explains why a tool answered degraded, what did not happen, and what an operator or caller can do about it.",
    arguments: [
      argument("toolName", "The tool that answered degraded.", true),
      argument("answer", "The answer as JSON text."),
    ],
    ask: "Explain this degraded answer and what to do about it.",
    steps: [
      "Say in one sentence what did not happen. Do not soften it.",
      "Read adapter, reason and nextAction; match them with the live state below.",
      "Tell apart what the caller can do and what only an operator can do.",
      "Say whether asking again can help, and when.",
    ],
    answer: ["What did not happen.", "Why.", "Who does what now."],
    embed: async (args, context) => [
      await embedCall(context, "test_mcp_tool", { name: args["toolName"] ?? "" }),
      await embedCall(context, "get_health", {}),
      await embedResource(context, "svc://integrations"),
    ],
  }),
];
