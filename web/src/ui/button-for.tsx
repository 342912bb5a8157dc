import type { OperationName } from "@workflow-ui/client";
import type { ComponentProps, ReactNode } from "react";
import { useRefusal } from "../api/rights.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { usePopover } from "@workflow-ui/forms-react/ui/popover.ts";

interface Props extends ComponentProps<typeof Button> {
  readonly op: OperationName;
}

/** A button that calls an operation: for people who may not it does nothing, and says why and whom to ask. */
export function ButtonFor({ op, ...rest }: Props) {
  return <ButtonUnless reason={useRefusal()(op)} {...rest} />;
}

/** A button that, where there is a reason against it, does nothing but tell it: on focus, under the pointer, on a tap. */
export function ButtonUnless({
  reason,
  ...rest
}: ComponentProps<typeof Button> & { readonly reason: string }) {
  return reason === "" ? <Button {...rest} /> : <Refused reason={reason} {...rest} />;
}

function Refused({ reason, ...rest }: ComponentProps<typeof ButtonUnless>) {
  const { button, box, show, close } = usePopover();
  return (
    <>
      {/* Not disabled for the browser, which would keep keyboards and fingers from it. */}
      <Button
        {...rest}
        type="button"
        title={undefined}
        disabled={false}
        busy={false}
        onClick={undefined}
        aria-disabled
        aria-describedby={box.id}
        ref={button.ref}
        popoverTarget={box.id}
        popoverTargetAction="show"
        onFocus={show}
        onBlur={close}
        onPointerEnter={({ pointerType }) => pointerType === "mouse" && show()}
        onPointerLeave={({ currentTarget }) => document.activeElement !== currentTarget && close()}
      />
      <span
        {...box}
        role="tooltip"
        className="fixed inset-auto m-0 max-w-64 rounded-lg border border-line bg-raised px-2.5 py-1.5 text-sm text-ink shadow-pop"
      >
        {reason}
      </span>
    </>
  );
}

/** What only those see who may call an operation, and guests, who can sign in for it. */
export function For({ op, children }: { readonly op: OperationName; readonly children: ReactNode }) {
  return useRefusal()(op) === "" ? children : null;
}
