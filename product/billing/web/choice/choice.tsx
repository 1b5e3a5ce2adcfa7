import type { ReactNode } from 'react';

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** A radio button whose whole line can be selected. */
export function Choice({ name, value, checked, onChoose, children }: ChoiceProps) {
  return (
    <label className="flex min-h-11 scroll-mb-44 cursor-pointer items-center gap-3 rounded-control border
      border-line bg-raised px-3 py-2 text-sm transition-colors hover:border-field has-checked:border-primary
      has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus">
      <input
        type="radio"
        name={name}
        value={value}
        checked={checked}
        onChange={onChoose}
        className="radio size-5 shrink-0 outline-none"
      />
      <span className="flex grow flex-wrap items-center justify-between gap-x-4 gap-y-1">{children}</span>
    </label>
  );
}
