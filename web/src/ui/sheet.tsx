import type { ReactNode } from "react";
import { useMedia } from "../lib/media.ts";
import { Dialog } from "./dialog.tsx";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  /** From this width on there is room beside the rest of the page. */
  readonly from: "64rem" | "80rem";
  /** The content as a part of the page. */
  readonly inline: ReactNode;
  /** The same content inside the sheet, which has the title already. */
  readonly children: ReactNode;
}

/** A part of the page where there is room; elsewhere a sheet over it, from the bottom of a phone, not a panel far below. */
export function Sheet({ title, onClose, from, inline, children }: Props) {
  const hasRoom = useMedia(`(min-width: ${from})`);
  if (hasRoom) return inline;
  return (
    <Dialog open onClose={onClose} shape="sheet" title={title} className="w-[min(34rem,100vw)]!">
      {children}
    </Dialog>
  );
}
