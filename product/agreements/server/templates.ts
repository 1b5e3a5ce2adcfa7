import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanLines, cleanText } from '#platform/text/clean-text.ts';
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
import {
  discardDraft,
  draftMissing,
  englishMissing,
  getTemplateText,
  listTemplates,
  listTemplateVersions,
  placeholderUnknown,
  publishTemplate,
  saveTemplate,
  textEmpty,
} from '../contract/admin.ts';
import { KINDS, unknownPlaceholder, VERSIONS_PER_PAGE, type DocumentKind } from '../rules.ts';
import {
  deleteDraft,
  draftVersion,
  publishDraft,
  saveText,
  selectVersions,
  templateOf,
  textOf,
  type VersionRow,
} from '../store/templates.ts';
import type { AgreementsDependencies } from './dependencies.ts';
import { startRollout } from './issuing.ts';

const versionView = ({ version, madeAt, publishedAt, languages, issued, signed }: VersionRow) => ({
  version,
  made_at: madeAt.toISOString(),
  published_at: publishedAt?.toISOString() ?? null,
  languages,
  issued,
  signed,
});

async function templateView(tx: Tx, kind: DocumentKind): Promise<OutputOf<typeof saveTemplate>> {
  const { current, draft } = await templateOf(tx, kind);
  return { kind, current: current && versionView(current), draft: draft && versionView(draft) };
}

const subjectOf = (kind: DocumentKind): string => `template:${kind}`;

/** What admins do with templates. One edits a kind at a time. */
export function templateHandlers({ data }: Pick<AgreementsDependencies, 'data'>): CallHandler[] {
  return [
    handleCall(listTemplates)((_input, { scope }) =>
      data.read(scope, async (tx) => {
        const templates = [];
        for (const kind of KINDS) templates.push(await templateView(tx, kind));
        return { templates };
      })
    ),
    handleCall(listTemplateVersions)(({ kind, before = null }, { scope }) =>
      data.read(scope, async (tx) => {
        const rows = await selectVersions(tx, kind, before);
        const next = rows.length === VERSIONS_PER_PAGE ? rows.at(-1)?.version ?? null : null;
        return { versions: rows.map(versionView), next };
      })
    ),
    handleCall(getTemplateText)(({ kind, language, version = null }, { scope }) =>
      data.read(scope, async (tx) => {
        const found = await textOf(tx, kind, language, version);
        return found
          ? {
            title: found.title,
            text: found.text,
            version: found.version,
            is_draft: found.publishedAt === null,
          }
          : { title: '', text: '', version: null, is_draft: false };
      })
    ),
    handleCall(saveTemplate)(async ({ kind, language, ...typed }, { scope, personId, refuse }) => {
      const [title, text] = [cleanText(typed.title), cleanLines(typed.text)];
      if (title === '' || text === '') return refuse(textEmpty);
      const name = unknownPlaceholder(title) ?? unknownPlaceholder(text);
      if (name !== null) return refuse(placeholderUnknown, { values: { name: `{${name}}` } });
      return data.tx(scope, async (tx) => {
        await tx.lock('agreements.templates', kind);
        const version = await draftVersion(tx, kind);
        await saveText(tx, { kind, version, language, title, text });
        await tx.audit({
          action: saveTemplate.name,
          actorId: personId,
          subject: subjectOf(kind),
          detail: { version, language },
        });
        return templateView(tx, kind);
      });
    }),
    handleCall(publishTemplate)((input, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const { kind, version, issue_to_all: issuesToAll, sign_days: signDays, reason } = input;
        await tx.lock('agreements.templates', kind);
        const { draft } = await templateOf(tx, kind);
        if (draft?.version !== version) return refuse(draftMissing);
        if (!draft.languages.includes(DEFAULT_LOCALE)) return refuse(englishMissing);
        await publishDraft(tx, kind, version);
        if (issuesToAll) await startRollout(tx, { kind, version, signDays, after: 0 });
        await tx.audit({
          action: publishTemplate.name,
          actorId: personId,
          subject: subjectOf(kind),
          reason,
          detail: { version, issuesToAll, signDays },
        });
        return templateView(tx, kind);
      })
    ),
    handleCall(discardDraft)(({ kind, version, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        await tx.lock('agreements.templates', kind);
        if (!(await deleteDraft(tx, kind, version))) return refuse(draftMissing);
        await tx.audit({
          action: discardDraft.name,
          actorId: personId,
          subject: subjectOf(kind),
          reason,
          detail: { version },
        });
        return templateView(tx, kind);
      })
    ),
  ];
}
