import { Component, Suspense, type ReactNode } from 'react';

interface CrashBoundaryProps {
  readonly children: ReactNode;
  /** Shown in place of the page after its first crash. */
  readonly fallback: (error: unknown) => ReactNode;
}

interface CrashState {
  readonly crash: { readonly error: unknown } | null;
}

/** Catches errors while the page renders. */
export class CrashBoundary extends Component<CrashBoundaryProps, CrashState> {
  override state: CrashState = { crash: null };

  static getDerivedStateFromError(error: unknown): CrashState {
    return { crash: { error } };
  }

  override render(): ReactNode {
    const { crash } = this.state;
    return crash ? this.props.fallback(crash.error) : this.props.children;
  }
}

/** A part that loads later. The page works without it: if it never loads, nothing takes its place. */
export function Extra({ children }: { readonly children: ReactNode }) {
  return (
    <CrashBoundary fallback={() => null}>
      <Suspense>{children}</Suspense>
    </CrashBoundary>
  );
}
