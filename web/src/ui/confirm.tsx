import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import type { ComponentProps, ReactNode } from "react";
import { Dialog } from "./dialog.tsx";

/** Asks before something is done: a way back, and the one to go on. */
export function Confirm({
  keep = "Keep it",
  act,
  look = "danger",
  busy = false,
  onAct,
  ...dialog
}: Omit<ComponentProps<typeof Dialog>, "footer"> & {
  readonly keep?: string;
  readonly act: ReactNode;
  readonly look?: "danger" | "primary";
  readonly busy?: boolean;
  readonly onAct: () => void;
}) {
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{keep}</Button>
          <Button look={look} busy={busy} onClick={onAct}>
            {act}
          </Button>
        </>
      }
    />
  );
}
