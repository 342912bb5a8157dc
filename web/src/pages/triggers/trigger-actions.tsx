import type { Trigger } from "@workflow-ui/client";
import { useNavigate } from "@tanstack/react-router";
import { Activity, Ellipsis, Pause, Pencil, Play, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/operations.ts";
import { useAction } from "../../lib/use-action.ts";
import { IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { InputField } from "../../ui/fields.tsx";
import { triggerName } from "./settings.ts";
import { EditTrigger } from "./trigger-form.tsx";
import { Confirm } from "../../ui/confirm.tsx";

/** What can be done with a trigger: start, change, pause with a note, resume, delete. */
export function TriggerActions({
  trigger,
  onRemoved,
}: {
  readonly trigger: Trigger;
  readonly onRemoved?: () => void;
}) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"" | "pause" | "edit" | "delete">("");
  const [note, setNote] = useState("");
  const { id, paused, lastRunId, kind } = trigger;
  const name = triggerName(trigger);
  const close = () => setAsking("");
  const pause = useAction({
    title: paused ? "Resume trigger" : "Pause trigger",
    failed: paused ? "It was not resumed" : "It was not paused",
    run: (_, signal) =>
      call("change_trigger", { id, paused: !paused, ...(!paused && note !== "" && { note }) }, { signal }),
    done: ({ trigger: now }) => {
      close();
      return now.paused ? `“${name}” is paused` : `“${name}” is resumed`;
    },
  });
  const fire = useAction({
    title: "Start a run now",
    failed: "No run was started",
    run: (_, signal) => call("fire_trigger", { id }, { signal }),
    done: ({ firing }) => {
      if (firing.runId !== null) void navigate({ to: "/runs/$id", params: { id: firing.runId } });
    },
  });
  const remove = useAction({
    title: "Delete trigger",
    failed: "It was not deleted",
    run: (_, signal) => call("remove_trigger", { id }, { signal }),
    done: () => {
      close();
      onRemoved?.();
      return `“${name}” is deleted`;
    },
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`More for ${name}`}>
            <Ellipsis />
          </IconButton>
        }
        entries={[
          { label: "Change", icon: <Pencil />, onSelect: () => setAsking("edit") },
          paused
            ? { label: "Resume", icon: <Play />, onSelect: () => pause.mutate() }
            : { label: "Pause", icon: <Pause />, onSelect: () => setAsking("pause") },
          ...(kind === "schedule"
            ? [{ label: "Start a run now", icon: <Zap />, onSelect: () => fire.mutate() }]
            : []),
          ...(lastRunId === null
            ? []
            : [
                {
                  label: "Last run",
                  icon: <Activity />,
                  onSelect: () => void navigate({ to: "/runs/$id", params: { id: lastRunId } }),
                },
              ]),
          null,
          { label: "Delete", icon: <Trash2 />, danger: true, onSelect: () => setAsking("delete") },
        ]}
      />
      {asking === "edit" ? <EditTrigger trigger={trigger} onClose={close} /> : null}
      <Confirm
        open={asking === "pause"}
        onClose={close}
        title={`Pause “${name}”?`}
        description="It starts nothing until it is resumed. Dates of the pause are not made up for."
        keep="Cancel"
        act="Pause"
        look="primary"
        busy={pause.isPending}
        onAct={() => pause.mutate()}
      >
        <InputField
          label="Note"
          hint="Why it is paused, for the others."
          value={note}
          maxLength={1_000}
          onText={setNote}
          data-autofocus
        />
      </Confirm>
      <Confirm
        open={asking === "delete"}
        onClose={close}
        title={`Delete “${name}”?`}
        description="The trigger and its history are deleted. Its runs stay."
        keep="Cancel"
        act="Delete it"
        busy={remove.isPending}
        onAct={() => remove.mutate()}
      >
        <p>This cannot be undone. A pause can.</p>
      </Confirm>
    </>
  );
}
