import { Link } from 'react-router';

interface SwitchProps {
  readonly question: string;
  readonly text: string;
  readonly to: string | (() => void);
  /** Highlights it, because people may be looking for it. */
  readonly boxed?: boolean;
}

const LINK = 'inline-flex min-h-11 items-center px-1 font-medium text-link hover:underline';

/** "No account yet? Sign up": a link on a page, a button in the dialog. */
export function Switch({ question, text, to, boxed = false }: SwitchProps) {
  return (
    <p className={`text-center text-sm text-muted${boxed ? ' rounded-control bg-raised' : ''}`}>
      {question} <SwitchTo text={text} to={to} />
    </p>
  );
}

/** Leads to another form: a link on a page, a button in the dialog. */
export const SwitchTo = ({ text, to }: Omit<SwitchProps, 'question' | 'boxed'>) => (
  typeof to === 'string'
    ? <Link to={to} className={LINK}>{text}</Link>
    : <button type="button" onClick={to} className={LINK}>{text}</button>
);
