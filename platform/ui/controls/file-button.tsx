import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';

interface FileButtonProps {
  /** Media types that are offered; browsers let people choose others all the same. */
  readonly accept: readonly string[];
  readonly icon?: ReactNode;
  readonly busy?: boolean;
  /** Id of the text that says which files may be chosen, or what was wrong. */
  readonly describedBy?: string | undefined;
  readonly onChoose: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

/** A button that opens the system's dialog to choose one file. */
export function FileButton({ accept, icon, busy, describedBy, onChoose, children }: FileButtonProps) {
  return (
    <label
      aria-busy={busy || undefined}
      className={`${buttonClass()} relative cursor-pointer has-focus-visible:outline-2
        has-focus-visible:outline-offset-2 has-focus-visible:outline-focus`}
    >
      {icon}
      {children}
      <input
        type="file"
        accept={accept.join(',')}
        aria-describedby={describedBy}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
        onChange={({ currentTarget }) => {
          const files = [...currentTarget.files ?? []];
          // So that the same file can be chosen again.
          currentTarget.value = '';
          if (files.length > 0) onChoose(files);
        }}
      />
    </label>
  );
}

/** The form data of an upload, without the name of the file. */
export function formOf(file: File): FormData {
  const form = new FormData();
  form.set('file', file, 'file');
  return form;
}
