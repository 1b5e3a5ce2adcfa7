import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getImprint, reviewDocument } from '../client.ts';
import { DOCUMENT_NAMES } from '../rules.ts';
import { showImprint } from './live.ts';

/** For admins: which documents counsel has reviewed. */
export function ReviewedDocuments() {
  const { t } = useTranslation('legal');
  const read = useRead(getImprint, {});
  const { run, busy, problem } = useAction(reviewDocument, showImprint);
  return (
    <Loaded read={read} height="h-24">
      {({ reviewed }) => (
        <>
          {DOCUMENT_NAMES.map((name) => (
            <Checkbox
              key={name}
              label={t('isReviewed', { title: t(`${name}.title`) })}
              checked={reviewed[name] !== null}
              aria-busy={busy || undefined}
              onChange={({ target }) => void run({ document: name, is_reviewed: target.checked })}
            />
          ))}
          <FormError problem={problem} />
        </>
      )}
    </Loaded>
  );
}
