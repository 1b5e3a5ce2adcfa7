import { useState, type ReactNode } from 'react';

/** A surface with a line around it. */
export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`rounded-card border border-line bg-surface ${className}`}>{children}</div>;
}

export type PillTone = 'live' | 'online' | 'private' | 'quiet' | 'warning' | 'danger';

const PILLS: Readonly<Record<PillTone, string>> = {
  live: 'bg-pink text-ink',
  online: 'bg-online text-ink',
  private: 'bg-blue text-ink',
  warning: 'bg-warning text-ink',
  danger: 'bg-danger text-ink',
  quiet: 'bg-raised text-text border border-line',
};

/** A small state label. Its text says the same as its colour. */
export function Pill({ tone = 'quiet', children }: { tone?: PillTone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex min-h-6 items-center gap-1 rounded-full px-2 py-0.5 text-xs font-bold
        sm:whitespace-nowrap ${PILLS[tone]}`}
    >
      {children}
    </span>
  );
}

interface AvatarProps {
  readonly name: string;
  readonly url: string | null;
  /** `srcset` with a larger picture for high-density screens. */
  readonly sharp?: string;
  readonly size?: 24 | 32 | 50;
}

/** Somebody's avatar; without a picture, or when it is gone, the first letter of the name. Decorative. */
export function Avatar({ name, url, sharp, size = 32 }: AvatarProps) {
  const [gone, setGone] = useState<string | null>(null);
  const box = { 24: 'size-6 text-xs', 32: 'size-8 text-sm', 50: 'size-12.5 text-lg' }[size];
  return url && url !== gone
    ? (
      <img
        src={url}
        srcSet={sharp}
        alt=""
        width={size}
        height={size}
        onError={() => setGone(url)}
        className={`${box} rounded-full bg-raised object-cover`}
      />
    )
    : (
      <span
        aria-hidden
        className={`${box} inline-flex items-center justify-center rounded-full bg-pink-dark font-bold
        text-white`}
      >
        {(name.trim()[0] ?? '?').toUpperCase()}
      </span>
    );
}

/** For screen readers only. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className="sr-only">{children}</span>;
}
