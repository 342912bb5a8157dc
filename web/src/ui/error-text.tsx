/** What is wrong, announced at once to screen readers; nothing when nothing is. */
export function ErrorText({
  text,
  className = "text-sm text-bad",
}: {
  readonly text: string | null | undefined;
  readonly className?: string;
}) {
  return text ? (
    <p role="alert" className={className}>
      {text}
    </p>
  ) : null;
}
