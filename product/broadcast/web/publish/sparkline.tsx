interface SparklineProps {
  /** Oldest first. */
  readonly values: readonly number[];
  /** How many values fit; fewer start at the right. */
  readonly room: number;
  /** Text alternative for screen readers. */
  readonly label: string;
}

const WIDTH = 120;
const HEIGHT = 28;

/** A small line chart of recent values, from zero to their maximum. */
export function Sparkline({ values, room, label }: SparklineProps) {
  const top = Math.max(...values, 1);
  const points = values.slice(-room).map((value, at, shown) => {
    const x = WIDTH - ((shown.length - 1 - at) * WIDTH) / (room - 1);
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="h-7 w-full text-link"
    >
      <line
        x1={0}
        x2={WIDTH}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
        className="stroke-line"
        strokeWidth={1}
        vectorEffect="non-scaling-stroke"
      />
      {points.length > 1
        ? (
          <polyline
            points={points.join(' ')}
            fill="none"
            stroke="currentColor"
            strokeWidth={1.5}
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        )
        : null}
    </svg>
  );
}
