import type { JsonObject } from "@workflow-ui/client";
import { type FormValue, FormStore, wireText } from "@workflow-ui/forms";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LIMITS } from "#workflows/schema.ts";
import { FlaskConical, GitBranch, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { useFileSuggestions } from "../api/id-suggestions.ts";
import { call, queryClient, useOperation } from "../api/operations.ts";
import { useRefusal } from "../api/rights.ts";
import { exampleInputs } from "../runs/example-inputs.ts";
import { Form, Suggestions } from "@workflow-ui/forms-react";
import { useFormOf } from "../form-maker/use-form-of.ts";
import { useExternal } from "../lib/external.ts";
import { count } from "../lib/format.ts";
import { objectAt } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { ButtonFor } from "../ui/button-for.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DEFAULT_MAP_ITEMS, replaceNode, titleOf, type DraftNode, type Graph } from "./document/model.ts";
import { graphOf } from "./document/read-graph.ts";
import type { EditSession } from "./document/session.ts";
import { same } from "./document/merge.ts";
import { allNodes, preview, type Samples } from "./inspect/scope.ts";
import type { DryRunner } from "./use-dry-runner.ts";
import { errorText } from "../lib/error-text.ts";

interface Props {
  readonly session: EditSession;
  /** The newest published version, if there is one. */
  readonly version: number | null;
  /** Who sees what is published. */
  readonly audience: "everybody" | "people here";
  /** It was renamed or described differently since. */
  readonly isRenamed: boolean;
  readonly errors: number;
  readonly dryRunner: DryRunner;
  readonly busyPublishing: boolean;
  readonly onPublish: () => void;
}

/** What is run: what is on the screen, or the published version. */
type What = "dry" | "draft" | "version";

/** Dry run, which writes nothing, and run, which is durable and needs a key. Inputs are asked for when there are some. */
export function RunButtons(props: Props) {
  const { session, version, dryRunner } = props;
  const [open, setOpen] = useState<What | "">("");
  const draft = useExternal(session.store);
  const direct = Object.keys(objectAt(draft.graph.inputs, "properties")).length === 0;
  const act = useRunning(props);
  const begin = (what: What) => {
    if (direct && (what !== "version" || isPublished)) void start(what, {});
    else setOpen(what);
  };
  const refusal = useRefusal();
  const [doubtful, setDoubtful] = useState<{ readonly what: What; readonly inputs: JsonObject } | null>(null);
  const start = async (what: What, inputs: JsonObject, asked = false) => {
    const graph = graphFor(what);
    const isDoubtful =
      tooManyItems(graph, inputs, dryRunner.samples).length > 0 || refusedSteps(graph, refusal).length > 0;
    if (!asked && what !== "dry" && isDoubtful) {
      setDoubtful({ what, inputs });
      return;
    }
    setDoubtful(null);
    if (await act.go(what, inputs)) setOpen("");
  };
  const id = useExternal(session.id);
  const published = usePublished(id, version);
  const graphFor = (what: What) => (what === "version" ? (published ?? draft.graph) : draft.graph);
  // Where nothing was changed since it was published, the version is what is on the screen.
  const isPublished = useMemo(
    () =>
      version !== null &&
      !props.isRenamed &&
      // A version that has just been published is not read yet.
      (published === null || same(withoutUi(published), withoutUi(draft.graph))),
    [version, published, draft.graph, props.isRenamed],
  );
  return (
    <>
      {isPublished ? null : (
        <ButtonFor
          op="publish_version"
          data-main-action
          title={`Seen by ${props.audience}`}
          disabled={props.errors > 0 || draft.graph.nodes.length === 0}
          busy={props.busyPublishing}
          onClick={props.onPublish}
        >
          <GitBranch /> {props.audience === "everybody" ? "Publish for everybody" : "Publish"}
        </ButtonFor>
      )}
      <Button busy={act.busy === "dry"} onClick={() => begin("dry")}>
        <FlaskConical /> Dry run
      </Button>
      {version === null ? null : (
        <ButtonFor
          op="start_run"
          look={isPublished ? "primary" : "secondary"}
          data-main-action={isPublished || undefined}
          busy={act.busy === "version"}
          onClick={() => begin("version")}
        >
          <Play /> Run v{version}
        </ButtonFor>
      )}
      <ButtonFor
        // What was never saved is saved before it runs.
        op={id.startsWith("draft_") ? "create_workflow" : "start_run"}
        look={isPublished ? "secondary" : "primary"}
        busy={act.busy === "draft"}
        onClick={() => begin("draft")}
      >
        <Play /> Run draft
      </ButtonFor>
      {open === "" ? null : (
        <Ask
          what={open}
          session={session}
          version={version}
          busy={act.busy !== ""}
          onGo={(inputs) => void start(open, inputs)}
          onClose={() => setOpen("")}
        />
      )}
      {doubtful === null ? null : (
        <Doubts
          what={doubtful.what}
          found={tooManyItems(graphFor(doubtful.what), doubtful.inputs, dryRunner.samples)}
          refused={refusedSteps(graphFor(doubtful.what), refusal)}
          onClose={() => setDoubtful(null)}
          onRun={() => void start(doubtful.what, doubtful.inputs, true)}
          onAllow={(next) => {
            session.store.change("allow more items", (now) => ({ ...now, graph: next(now.graph) }));
            void start(doubtful.what, doubtful.inputs, true);
          }}
        />
      )}
    </>
  );
}

/** How the last dry run went; on a line of its own, so that the buttons stay where they are. */
export function DryRunResult({ dryRunner }: Pick<Props, "dryRunner">) {
  const { state, blocked } = dryRunner.shown;
  if (state === "") return null;
  return (
    <p role="status" className="mt-1 flex items-center gap-1.5">
      <Badge tone={state === "succeeded" ? "good" : "bad"}>
        dry run {state === "succeeded" ? "works" : "stops"}
        {blocked.length > 0 ? `, ${count(blocked.length, "write")} blocked` : ""}
      </Badge>
      <Button size="sm" look="ghost" onClick={dryRunner.clear}>
        Clear
      </Button>
    </p>
  );
}

interface TooMany {
  readonly map: DraftNode;
  readonly items: number;
  readonly most: number;
}

/** The maps that would get more items than they take, as far as inputs and samples tell. */
function tooManyItems(graph: Graph, inputs: JsonObject, samples: Samples): readonly TooMany[] {
  const known = new Map([...samples, ["inputs", inputs] as const]);
  return graph.nodes.flatMap((map) => {
    const items = map.type === "map" ? preview(map.map?.items, known) : undefined;
    const most = map.map?.maxItems ?? DEFAULT_MAP_ITEMS;
    return Array.isArray(items) && items.length > most ? [{ map, items: items.length, most }] : [];
  });
}

interface RefusedStep {
  readonly step: DraftNode;
  readonly reason: string;
}

/** The steps that would be refused: a run acts with the rights of who starts it. */
function refusedSteps(graph: Graph, refusal: (name: string) => string): readonly RefusedStep[] {
  return allNodes(graph).flatMap((step) => {
    const reason = refusal(step.tool ?? step.map?.body?.tool ?? "");
    return reason === "" ? [] : [{ step, reason }];
  });
}

/** Asks before a run that would stop at a step. */
function Doubts({
  what,
  found,
  refused,
  onClose,
  onRun,
  onAllow,
}: {
  readonly what: What;
  readonly found: readonly TooMany[];
  readonly refused: readonly RefusedStep[];
  readonly onClose: () => void;
  readonly onRun: () => void;
  readonly onAllow: (change: (graph: Graph) => Graph) => void;
}) {
  const raised = (graph: Graph) =>
    found.reduce(
      (now, { map, items }) => replaceNode(now, map.id, { ...map, map: { ...map.map, maxItems: items } }),
      graph,
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={refused.length > 0 ? "The run would stop" : "More items than allowed"}
    >
      <ul className="mb-4 space-y-1">
        {found.map(({ map, items, most }) => (
          <li key={map.id}>
            “{titleOf(map)}” would get {items} items and takes {most}. The run would stop there.
          </li>
        ))}
        {refused.map(({ step, reason }) => (
          <li key={step.id}>
            “{titleOf(step)}” would be refused, after the steps before it have run. {reason}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {what === "draft" && refused.length === 0 && found.every(({ items }) => items <= LIMITS.mapItems) ? (
          <Button look="primary" onClick={() => onAllow(raised)}>
            Allow them and run
          </Button>
        ) : null}
        <Button onClick={onRun}>Run as it is</Button>
      </div>
    </Dialog>
  );
}

function useRunning({ session, version, dryRunner }: Omit<Props, "onPublish" | "busyPublishing">) {
  const navigate = useNavigate();
  const run = async (what: "draft" | "version", inputs: JsonObject): Promise<boolean> => {
    const id = await session.save(true);
    if (id === "") return false;
    const started = await track("Run workflow", (signal) =>
      call(
        "start_run",
        {
          id,
          inputs,
          version: what === "draft" || version === null ? "draft" : version,
          idempotencyKey: crypto.randomUUID(),
        },
        { signal },
      ),
    );
    void queryClient.invalidateQueries({
      predicate: ({ queryKey }) => JSON.stringify(queryKey).includes("run"),
    });
    void navigate({ to: "/runs/$id", params: { id: started.run.id } });
    return true;
  };
  const going = useMutation({
    mutationFn: ({ what, inputs }: { readonly what: What; readonly inputs: JsonObject }) =>
      what === "dry" ? dryRunner.run(inputs) : run(what, inputs),
    onError: (error) => toast("bad", "The run was not started", errorText(error)),
  });
  const go = (what: What, inputs: JsonObject): Promise<boolean> =>
    going.mutateAsync({ what, inputs }).catch(() => false);
  return { go, busy: going.isPending ? going.variables.what : ("" as const) };
}

const WORDS = {
  dry: {
    title: "Dry run",
    button: "Start the dry run",
    about: "Data flows through every step; nothing is written or sent.",
  },
  draft: { title: "Run draft", button: "Run draft", about: "Runs what is on the screen. It is saved first." },
  version: {
    title: "Run",
    button: "Run",
    about: "Runs what was published. Changes made since are not part of it.",
  },
} as const;

function Ask({
  what,
  session,
  version,
  busy,
  onGo,
  onClose,
}: {
  readonly what: What;
  readonly session: EditSession;
  readonly version: number | null;
  readonly busy: boolean;
  readonly onGo: (inputs: JsonObject) => void;
  readonly onClose: () => void;
}) {
  const draft = useExternal(session.store);
  const published = usePublished(session.id.get(), what === "version" ? version : null);
  const schema = what === "version" ? published?.inputs : draft.graph.inputs;
  const given = useMemo(
    () =>
      schema === undefined
        ? null
        : { schema: JSON.parse(JSON.stringify(schema)), formId: "inputs", title: "Inputs" },
    [schema],
  );
  const { form, problem, busy: isMaking } = useFormOf(given);
  const store = useMemo(
    () => (form === null ? null : new FormStore(form, exampleInputs.get(session.id.get()))),
    [form, session],
  );
  const suggest = useFileSuggestions(given?.schema ?? null);
  const { title, button, about } = WORDS[what];
  const name = what === "version" ? `Run version ${version ?? ""}` : title;
  const differs =
    what === "version" && published !== null && !same(withoutUi(published), withoutUi(draft.graph));
  return (
    <Dialog
      open
      onClose={onClose}
      title={name}
      description={differs ? `${about} The draft differs from it.` : about}
      className="sm:w-[min(44rem,calc(100vw-2rem))]"
    >
      {store === null ? (
        <p>
          {isMaking || (what === "version" && published === null)
            ? "Loading…"
            : `The inputs cannot be shown as a form. ${problem}`}
        </p>
      ) : (
        <Suggestions value={suggest}>
          <Form
            store={store}
            busy={busy}
            onSubmit={(value) => onGo(inputsOf(value))}
            submitLabel={what === "version" ? name : button}
          />
        </Suggestions>
      )}
    </Dialog>
  );
}

function withoutUi(graph: Graph): unknown {
  return { ...graph, ui: null };
}

/** The graph of a published version, which never changes. */
function usePublished(id: string, version: number | null): Graph | null {
  const options = { enabled: version !== null, staleTime: Infinity };
  const { data } = useOperation("get_workflow_version", { id, version: String(version) }, options);
  return useMemo(() => (data === undefined ? null : graphOf(data.version)), [data]);
}

function inputsOf(value: FormValue | undefined): JsonObject {
  return objectAt(JSON.parse(wireText(value)));
}
