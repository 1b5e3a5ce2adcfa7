import { IconButton } from '#platform/ui/controls/button.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

/** Copies a text; confirms with a toast, and with a check mark while the toast is shown. */
export function CopyButton({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation('broadcast');
  const toast = useToast();
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => {
        setCopied(true);
        toast(t('encoder.copied'), 'success', { onClose: () => setCopied(false) });
      },
      () => toast(t('encoder.copyFailed'), 'error'),
    );
  return (
    <IconButton label={t('encoder.copyOf', { what: label })} onClick={() => void copy()}>
      {copied ? <Check size={20} aria-hidden /> : <Copy size={20} aria-hidden />}
    </IconButton>
  );
}

/** A value to copy, on one line if it fits. */
export function CopyLine({ label, value, hint }: { label: string; value: string; hint?: string }) {
  return (
    <div className="min-w-0">
      <p className="text-sm font-medium">{label}</p>
      <div className="flex items-center gap-1">
        <code className="min-w-0 grow rounded-control bg-raised px-3 py-2.5 text-sm break-all">{value}</code>
        <CopyButton label={label} value={value} />
      </div>
      {hint ? <p className="text-sm text-warning-text">{hint}</p> : null}
    </div>
  );
}
