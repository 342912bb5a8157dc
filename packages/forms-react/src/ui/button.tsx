import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";

type Look = "primary" | "secondary" | "ghost" | "danger";
type Size = "md" | "sm" | "icon";

const BASE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-[7px] font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0";
const LOOKS: Record<Look, string> = {
  primary: "bg-accent text-on-accent shadow-card hover:bg-accent-hover",
  secondary: "border border-line bg-surface text-ink shadow-card hover:bg-hover",
  ghost: "text-ink-2 hover:bg-hover hover:text-ink",
  danger: "border border-line bg-surface text-bad shadow-card hover:bg-bad-soft",
};
const SIZES: Record<Size, string> = {
  md: "h-[34px] px-3 text-base",
  sm: "h-7 px-2 text-sm [&_svg]:size-3.5",
  icon: "size-7 text-sm",
};

/** The classes of a button, for links that look like one. */
export function buttonClass(look: Look = "secondary", size: Size = "md", extra?: string): string {
  return cx(BASE, LOOKS[look], SIZES[size], extra);
}

interface Props extends ComponentProps<"button"> {
  readonly look?: Look;
  readonly size?: Size;
  readonly busy?: boolean;
}

/** A button. `busy` shows a spinner and keeps it from being pressed twice. */
export function Button({ look, size, busy = false, className, children, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      className={buttonClass(look, size, className)}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

/** A button that is only an icon; its label is read out and shown as a tooltip. */
export function IconButton({
  label,
  children,
  ...rest
}: Omit<Props, "size"> & { readonly label: string; readonly children: ReactNode }) {
  return (
    <Button look="ghost" {...rest} size="icon" aria-label={label} title={label}>
      {children}
    </Button>
  );
}

/** Something is under way. */
export function Spinner({ className }: { readonly className?: string }) {
  return (
    <span
      aria-hidden
      className={cx(
        "inline-block size-3.5 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent",
        className,
      )}
    />
  );
}
