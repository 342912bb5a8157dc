import { FileUp } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";

/** A place where a text file can be dropped or chosen, around whatever shows the text. */
export function TextFileDrop({
  accept,
  label,
  hint,
  className,
  overClassName,
  onText,
  children,
}: {
  readonly accept: string;
  readonly label: string;
  readonly hint: string;
  readonly className: string;
  /** What is added while a file is over it. */
  readonly overClassName: string;
  readonly onText: (text: string) => void;
  readonly children: ReactNode;
}) {
  const file = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (given: File | undefined) => void given?.text().then(onText);
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
      className={cx(className, over && overClassName)}
    >
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <input
          ref={file}
          type="file"
          accept={accept}
          className="hidden"
          aria-label={label}
          onChange={(event) => take(event.target.files?.[0])}
        />
        <Button size="sm" onClick={() => file.current?.click()}>
          <FileUp /> Choose a file
        </Button>
        <span className="text-sm text-ink-3">{hint}</span>
      </div>
      {children}
    </div>
  );
}
