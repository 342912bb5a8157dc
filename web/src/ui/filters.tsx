import { SlidersHorizontal } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useMedia } from "../lib/media.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  /** How many of them are in use. */
  readonly used: number;
  /** How many records they leave, shown on the button that closes the sheet; without it the content has its own button. */
  readonly found?: string;
  /** The fields; `close` closes the sheet that they are in. */
  readonly children: (close: () => void) => ReactNode;
}

/** The filters of a list: beside it where there is room, on a phone a sheet that a button opens. */
export function Filters({ used, found, children }: Props) {
  const hasRoom = useMedia("(min-width: 40rem)");
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (hasRoom) return children(close);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <SlidersHorizontal /> {used === 0 ? "Filters" : `Filters (${used})`}
      </Button>
      <Dialog
        open={isOpen}
        onClose={close}
        shape="sheet"
        title="Filters"
        {...(found !== undefined && {
          footer: (
            <Button look="primary" onClick={close}>
              Show {found}
            </Button>
          ),
        })}
      >
        <div className="flex flex-col items-start gap-4">{children(close)}</div>
      </Dialog>
    </>
  );
}
