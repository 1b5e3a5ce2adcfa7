const COLOURS = {
  primary: 'fill-primary',
  ok: 'fill-online',
  near: 'fill-warning',
  full: 'fill-danger',
} as const;

/** A decorative progress bar, 0 to 1. An SVG, because the content policy forbids inline styles. */
export function Bar({ share, colour }: { share: number; colour: keyof typeof COLOURS }) {
  return (
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden
      className="h-2 w-full overflow-hidden rounded-full bg-raised"
    >
      <rect
        width={Math.min(1, Math.max(0, share)) * 100}
        height={1}
        className={`transition-[width] duration-1000 ease-linear ${COLOURS[colour]}`}
      />
    </svg>
  );
}
