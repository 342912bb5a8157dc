import type { Prompt } from "../ports/definitions.ts";
import { argument, embedCall, embedResource, taskPrompt } from "./compose.ts";

/** Prompts about artifacts and storage. */
export const artifactsPrompts: readonly Prompt[] = [
  taskPrompt({
    name: "write_share_packet",
    title: "Write a share packet",
    description:
      "Prepares an artifact to be shared: a packet with JSON, YAML, Markdown and commands, a cover note, and a check that nothing private goes along.",
    arguments: [
      argument("artifactId", "The artifact to share.", true),
      argument("recipient", "Who gets it and what they need it for."),
    ],
    ask: "Prepare this artifact so that another person can use it without asking back.",
    steps: [
      "Read the artifact. If it cannot be read, ask for its content and work from that.",
      "Look for what must not leave: credentials, personal data, private addresses, notes meant for insiders. List it and ask.",
      "Call `create_share_packet` with the cleaned artifact; it persists and publishes nothing.",
      "Write a cover note of at most five sentences for the recipient.",
    ],
    answer: [
      "What was left out and why.",
      "The cover note.",
      "The packet's Markdown and the command that opens it.",
    ],
    embed: async (args, context) => [
      await embedResource(context, `svc://artifact/${args["artifactId"] ?? ""}`),
    ],
  }),
  taskPrompt({
    name: "summarise_artifact",
    title: "Summarise an artifact",
    description:
      "Sums an artifact up for a reader, tells its version and state of storage truthfully, and names what it does not say.",
    arguments: [
      argument("artifactId", "The artifact to sum up.", true),
      argument("reader", "Who reads the summary."),
    ],
    ask: "Sum this artifact up.",
    steps: [
      "Say what it is, which version, and whether the server keeps it or it is only a generated snapshot.",
      "Sum up its content in the reader's words; keep numbers and names exact.",
      "Name gaps and contradictions instead of smoothing them over.",
    ],
    answer: ["Five sentences.", "Facts worth quoting, with their JSON Pointer.", "Open questions."],
    embed: async (args, context) => [
      await embedResource(context, `svc://artifact/${args["artifactId"] ?? ""}`),
      await embedResource(context, "svc://storage"),
    ],
  }),
  taskPrompt({
    name: "plan_storage",
    title: "Decide where to keep something",
    description:
      "Advises where a draft, result or report should be kept, by what each storage mode guarantees at this moment.",
    arguments: [argument("what", "What is to be kept, for how long and who must see it.", true)],
    ask: "Advise where to keep this.",
    steps: [
      "Read what each storage mode guarantees right now, not what it could guarantee.",
      "Match that with how long it must last, who must see it, and what its loss would cost.",
      "Name the tool that puts it there and whether that needs a key.",
    ],
    answer: ["The mode, and the next best.", "What is not guaranteed there.", "The call to make."],
    embed: async (args, context) => [
      await embedCall(context, "get_storage_status", {}),
      await embedResource(context, "svc://artifacts"),
    ],
  }),
];
