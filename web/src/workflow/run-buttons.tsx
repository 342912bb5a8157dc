import { compileForm, type FormValue } from "#forms/index.ts";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { queryClient } from "../api/queries.ts";
import { callTool, envelopeError, toolData } from "../api/rpc.ts";
import { Form } from "../forms/form.tsx";
import { FormStore } from "../forms/form-store.ts";
import { wireText } from "../forms/logic.ts";
import { isBag, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Button } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { Draft } from "./graph-store.ts";
import { graphCall } from "./use-verdict.ts";

interface Props {
  readonly draft: Draft;
  readonly id: string;
  readonly save: () => Promise<string>;
}

/** Dry run, which writes nothing, and run, which is durable and needs a key. Both ask for the inputs first. */
export function RunButtons({ draft, id, save }: Props) {
  const [open, setOpen] = useState<"" | "dry" | "run">("");
  return (
    <>
      <Button onClick={() => setOpen("dry")}>
        <FlaskConical /> Dry run
      </Button>
      <Button look="primary" onClick={() => setOpen("run")}>
        <Play /> Run
      </Button>
      {open === "" ? null : <Ask kind={open} draft={draft} id={id} save={save} onClose={() => setOpen("")} />}
    </>
  );
}

function Ask({
  kind,
  draft,
  id,
  save,
  onClose,
}: Props & { readonly kind: "dry" | "run"; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Bag | null>(null);
  const store = useMemo(() => {
    const { form } = compileForm(JSON.parse(JSON.stringify(draft.graph.inputs)), {
      formId: "inputs",
      title: "Inputs",
    });
    return form === undefined ? null : new FormStore(form);
  }, [draft.graph.inputs]);
  const inputsOf = (value: FormValue | undefined): Bag => {
    const parsed: unknown = JSON.parse(wireText(value));
    return isBag(parsed) ? parsed : {};
  };
  const dry = async (value: FormValue | undefined) => {
    const { args, meta } = graphCall(draft.graph);
    const answer = await track(
      "Dry run",
      (signal) =>
        callTool(
          "dry_run_workflow",
          { ...args, inputs: inputsOf(value) },
          { meta, signal, interactive: false },
        ),
      (got) => ({
        ok: got.ok,
        note: got.ok ? "Nothing was written" : envelopeError(got.data, got.status).message,
      }),
    );
    setResult(answer.data);
  };
  const run = async (value: FormValue | undefined) => {
    const stored = await save();
    const target = stored === "" ? id : stored;
    if (target === "") return;
    const started = await track("Run workflow", (signal) =>
      toolData("run_workflow", { id: target, inputs: inputsOf(value) }, { signal }),
    );
    await queryClient.invalidateQueries();
    toast("good", "The run was accepted");
    void navigate({
      to: "/runs/$id",
      params: { id: textAt(started, ["run", "id"], textAt(started, "id", textAt(started, "runId"))) },
    });
  };
  const go = async (value: FormValue | undefined) => {
    setBusy(true);
    try {
      await (kind === "dry" ? dry(value) : run(value));
    } catch (error) {
      toast(
        "bad",
        kind === "dry" ? "The dry run did not happen" : "The run was not started",
        error instanceof Error ? error.message : "",
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={kind === "dry" ? "Dry run" : "Run"}
      description={
        kind === "dry"
          ? "Real data flow, with writes blocked. Nothing leaves this service."
          : "Saves the workflow, then runs it durably. Needs a key."
      }
      className="sm:w-[min(44rem,calc(100vw-2rem))]"
    >
      {store === null ? (
        <p>The inputs are not a schema that can be shown as a form.</p>
      ) : (
        <Form
          store={store}
          busy={busy}
          onSubmit={(value) => void go(value)}
          submitLabel={kind === "dry" ? "Try it" : "Run it"}
        />
      )}
      {result === null ? null : (
        <div className="mt-5">
          <h3 className="mb-1 font-semibold">What would happen</h3>
          <DataView value={result} />
        </div>
      )}
    </Dialog>
  );
}
