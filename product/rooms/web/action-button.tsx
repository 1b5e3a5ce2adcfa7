import { useLate } from '#platform/ui/controls/early-press.ts';
import { useId, type ReactNode } from 'react';

interface ActionButtonProps {
  /** The full label: accessible name and tooltip. Contains `text`. */
  readonly label: string;
  /** One or two words shown on the button; the smallest phones show only the icon. */
  readonly text: string;
  readonly icon: ReactNode;
  /** A price, or a condition, under the text in a wide window. */
  readonly detail?: ReactNode;
  /** Whether the panel that it opens is open; omit it for a dialog. */
  readonly expanded?: boolean;
  readonly onClick: () => void;
}

/** One action of a viewer in the bar of actions: 44 px high; on phones its text is below the icon. */
export function ActionButton({ label, text, icon, detail, expanded, onClick }: ActionButtonProps) {
  const { late, ref } = useLate();
  const id = useId();
  return (
    <button
      ref={ref}
      type="button"
      title={label}
      aria-haspopup="dialog"
      aria-expanded={expanded}
      aria-describedby={detail === undefined ? undefined : id}
      data-late={late ? '' : undefined}
      onClick={onClick}
      className="relative inline-flex h-11 min-w-11 shrink-0 items-center justify-center gap-2 rounded-control
        border border-line bg-raised px-3 text-left text-sm font-bold transition-colors hover:border-field
        @max-[72rem]/bar:gap-1.5 @max-[72rem]/bar:px-2 max-lg:flex-col max-lg:gap-0.5 max-lg:px-0.5"
    >
      {icon}
      {/* The accessible name is the whole label: speech control needs the visible words in it. */}
      <span className="sr-only">{label}</span>
      {/* Narrower windows have no room for text beside the state of running and paid things. */}
      <span
        aria-hidden
        className="max-[359px]:sr-only phone-landscape:sr-only
        lg:max-xl:group-has-data-costs/bar:sr-only"
      >
        <span className="block max-w-40 truncate leading-4 max-lg:max-w-17 max-lg:text-xs max-lg:leading-3.5
          max-lg:font-medium">
          {text}
        </span>
        {detail === undefined
          ? null
          : (
            <span
              id={id}
              className="tabular block text-xs leading-4 font-normal text-muted max-lg:sr-only
            lg:group-has-data-costs/bar:sr-only"
            >
              {detail}
            </span>
          )}
      </span>
    </button>
  );
}
