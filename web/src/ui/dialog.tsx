import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { IconButton } from "@workflow-ui/forms-react/ui/button.tsx";

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  /** `side` fills the height at the right; `sheet` does the same, and stands at the bottom of a phone. */
  readonly shape?: "center" | "side" | "sheet" | "bare";
  readonly className?: string;
  /** The content has nothing that takes focus, so the keyboard scrolls the content itself. */
  readonly reading?: boolean;
  /** The content has its own padding. */
  readonly flush?: boolean;
}

/**
 * A modal on the platform's own `<dialog>`: it traps focus, closes on Escape, makes the rest inert and gives focus
 * back, without a library that writes style elements (which the content policy forbids).
 */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
  shape = "center",
  className,
  reading = false,
  flush = false,
}: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element | null>(null);
  const id = useId();
  const isBeside = shape === "side" || shape === "sheet";
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      opener.current = document.activeElement;
      dialog.showModal();
      // The platform focuses the first thing that can take focus; the field a person came for is marked.
      dialog.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  useEffect(
    () => () => {
      // The platform gives focus back when a dialog is closed, not when it is taken off the page.
      const { current: before } = opener;
      if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    },
    [],
  );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a click on the backdrop closes
    <dialog
      ref={ref}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-text`}
      // A dialog inside this one has its own; React hands its events up.
      onClose={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      className={cx(
        "bg-raised p-0 text-ink shadow-pop outline-none",
        isBeside
          ? "fixed inset-y-0 right-0 left-auto m-0 h-dvh max-h-dvh w-[min(26rem,100vw)] max-w-none border-l border-line"
          : "m-auto mt-[10vh] w-[min(34rem,calc(100vw-1.5rem))] max-w-none rounded-xl border border-line",
        shape === "sheet" &&
          "max-sm:inset-x-0 max-sm:top-auto max-sm:h-auto max-sm:rounded-t-2xl max-sm:border-t max-sm:border-l-0",
        className,
      )}
    >
      {open ? (
        <div
          className={cx(
            "flex flex-col",
            isBeside ? "h-full" : "max-h-[80dvh]",
            shape === "sheet" && "max-sm:max-h-[88dvh] max-sm:min-h-[40dvh]",
          )}
        >
          {shape === "bare" ? (
            <h2 id={`${id}-title`} className="sr-only">
              {title}
            </h2>
          ) : (
            <div className="flex items-start gap-3 border-b border-line px-4 py-3">
              <div className="min-w-0 flex-1">
                <h2 id={`${id}-title`} className="text-lg font-semibold">
                  {title}
                </h2>
                {description === undefined ? null : (
                  <p id={`${id}-text`} className="mt-0.5 text-sm break-words text-ink-2">
                    {description}
                  </p>
                )}
              </div>
              <IconButton label="Close" onClick={onClose}>
                <X />
              </IconButton>
            </div>
          )}
          <div
            {...(reading && { tabIndex: 0, role: "group", "aria-labelledby": `${id}-title` })}
            className={cx("min-h-0 flex-1 scroll-y", shape !== "bare" && !flush && "p-4")}
          >
            {children}
          </div>
          {footer === undefined ? null : (
            <div data-actions className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
              {footer}
            </div>
          )}
        </div>
      ) : null}
    </dialog>
  );
}
