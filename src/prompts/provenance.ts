import type { Prompt } from "../ports/definitions.ts";
import { argument, embedCall, taskPrompt } from "./compose.ts";

/** The lookup parameter that fits the form of an id. */
function lookupArguments(id: string): Record<string, string> {
  if (id.startsWith("workflow_")) return { workflowId: id };
  if (id.startsWith("run_")) return { runId: id };
  if (id.startsWith("artifact_")) return { artifactId: id };
  if (id.startsWith("delegation_")) return { delegationId: id };
  if (id.startsWith("form_")) return { formId: id };
  if (id.startsWith("sha256:")) return { hash: id };
  if (/^https?:\/\//.test(id)) return { url: id };
  return { recordId: id };
}

/** Prompts about provenance. */
export const provenancePrompts: readonly Prompt[] = [
  taskPrompt({
    name: "audit_provenance",
    title: "Audit provenance",
    description:
      "Audits what can be proved about a workflow, run, artifact or handoff: which records exist, what each proves, and what is missing.",
    arguments: [
      argument("subjectId", "The id of the workflow, run, artifact, delegation or form.", true),
      argument("question", "What the audit must answer, for example who approved the release."),
    ],
    ask: "Find out what can be proved about this subject, and what can only be claimed.",
    steps: [
      "List the provenance records found below with kind, time and digest.",
      "Call `verify_svc_provenance` for each that matters; read the verdicts one by one: digest, signature, key, inclusion, anchor. Not checked is not passed.",
      "Put the records into the order of events and look for gaps: a run without its approval, a version without its publication.",
      "Say what the records do not prove, for example that the content was true.",
    ],
    answer: [
      "The answer to the question, with the record ids it rests on.",
      "A table of records and verdicts.",
      "Gaps, and what would close them.",
    ],
    embed: async (args, context) => [
      await embedCall(context, "lookup_svc_provenance", lookupArguments(args["subjectId"] ?? "")),
    ],
  }),
  taskPrompt({
    name: "explain_verification",
    title: "Explain a verification",
    description:
      "Verifies one provenance record and explains each verdict to a person who is not a cryptographer, with how to check it independently.",
    arguments: [argument("recordId", "The provenance record to verify.", true)],
    ask: "Explain what this verification shows, and what it does not.",
    steps: [
      "Take the verdicts one by one: what was compared with what, and what a failure would mean.",
      "A verdict of not checked is neither good nor bad: say why it was not checked.",
      "Say anchored only with an external receipt; without one say that it is not anchored.",
      "Give the steps to check the proof offline with the public keys of the provenance document.",
    ],
    answer: ["One sentence that a lawyer would understand.", "Verdict by verdict.", "The offline check."],
    embed: async (args, context) => [
      await embedCall(context, "verify_svc_provenance", { recordId: args["recordId"] ?? "" }),
    ],
  }),
];
