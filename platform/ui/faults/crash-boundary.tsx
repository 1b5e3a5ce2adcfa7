import { Component, Suspense, type ReactNode } from 'react';

interface CrashBoundaryProps {
  readonly children: ReactNode;
  /** Shown from the first crash on, in place of the page. */
  readonly fallback: (error: unknown) => ReactNode;
}

interface CrashState {
  readonly crash: { readonly error: unknown } | null;
}

/** Catches what breaks while the page renders. */
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

/** A part that comes later. The page goes on without it: where it never comes, nothing takes its place. */
export function Extra({ children }: { readonly children: ReactNode }) {
  return <CrashBoundary fallback={() => null}><Suspense>{children}</Suspense></CrashBoundary>;
}
