import { Button } from '#platform/ui/controls/button.tsx';
import type { TextFieldProps } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef } from 'react';
import { CodeField } from './code-field.tsx';

/** Where the code of the second step comes from. */
export type CodeSource = 'app' | 'email';
const SOURCES: Readonly<Record<string, CodeSource>> = { code_required: 'app', email_code_required: 'email' };

/** The source of the code that a refusal asks for; null for other refusals. */
export const codeSourceOf = (errorType: string | undefined): CodeSource | null =>
  SOURCES[errorType ?? ''] ?? null;

/** The field for the second step of a log-in; it gets the focus when it appears. */
export function SecondStep({ source, field, busy }: {
  readonly source: CodeSource;
  readonly field: Omit<TextFieldProps, 'label'>;
  readonly busy: boolean;
}) {
  const { t } = useTranslation('accounts');
  const step = useRef<HTMLDivElement>(null);
  useEffect(() => step.current?.querySelector('input')?.focus(), [source]);
  // Submitting the form without a code asks for a new one.
  const sendAgain = (): void => {
    const input = step.current?.querySelector('input');
    if (input) input.value = '';
    input?.form?.requestSubmit();
  };
  return (
    <div ref={step} className="flex flex-col gap-2">
      <CodeField
        {...field}
        label={t('login.code')}
        required={source === 'app'}
        hint={t(source === 'app' ? 'login.codeHint' : 'login.emailCodeHint')}
      />
      {source === 'app'
        ? null
        : <Button tone="quiet" busy={busy} onClick={sendAgain}>{t('login.sendAgain')}</Button>}
    </div>
  );
}
