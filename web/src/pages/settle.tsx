import { useState } from "react";
import { queryClient } from "../api/queries.ts";
import { rest } from "../api/rpc.ts";
import type { Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Button } from "../ui/button.tsx";

/** A person's word on a run, over REST. */
export async function actOnRun(title: string, path: string, body: Bag, done = ""): Promise<void> {
  try {
    await track(title, (signal) => rest(path, { body, signal }));
    if (done !== "") toast("good", done);
    await queryClient.invalidateQueries();
  } catch (error) {
    toast("bad", "It was not done", error instanceof Error ? error.message : "");
  }
}

/** A step that was cut off after its effect may have happened: only a person can say what became of it. */
export function Settle({ runId, stepId }: { readonly runId: string; readonly stepId: string }) {
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const output = read(text);
  const say = (outcome: "succeeded" | "failed" | "retry") =>
    void actOnRun("Settle step", `/api/svc/runs/${runId}/settle`, {
      stepId,
      outcome,
      ...(reason.trim() !== "" && { reason: reason.trim() }),
      ...(outcome === "succeeded" && output !== undefined && { output }),
    });
  return (
    <div className="mb-4 rounded-lg bg-warn-soft px-3 py-2.5">
      <p className="font-medium text-warn">
        It is not known whether this happened. Look at the target, then say what became of it.
      </p>
      <label className="mt-2 block">
        <span className="mb-1 block text-sm text-ink-2">
          What it gave, as JSON; later steps read it. Left empty, nothing.
        </span>
        <textarea
          value={text}
          onChange={(event) => setText(event.target.value)}
          rows={2}
          spellCheck={false}
          aria-invalid={text !== "" && output === undefined}
          className="field-control resize-y font-mono text-sm"
        />
      </label>
      {text !== "" && output === undefined ? (
        <p role="alert" className="mt-1 text-sm text-bad">
          This is not JSON yet.
        </p>
      ) : null}
      <label className="mt-2 block">
        <span className="mb-1 block text-sm text-ink-2">Reason (optional)</span>
        <input
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          maxLength={1000}
          className="field-control text-sm"
        />
      </label>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="sm" disabled={text !== "" && output === undefined} onClick={() => say("succeeded")}>
          It happened
        </Button>
        <Button size="sm" onClick={() => say("failed")}>
          It did not
        </Button>
        <Button size="sm" onClick={() => say("retry")}>
          Run it again
        </Button>
      </div>
    </div>
  );
}

function read(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
