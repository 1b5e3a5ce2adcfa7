import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { GenderCode } from '#product/accounts/rules.ts';
import { tagIndex, tagListUnknown, tagsOfGender, type TagsDataView } from '../../contract/tags.ts';
import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import { genderOfSlug } from '../../rules/listing/listings.ts';
import { combosOf, TAGS_PAGE, tagsOf, type TagSort } from '../../rules/popular/tags.ts';
import type { Browsing } from '../dependencies.ts';

interface Asked {
  readonly page?: number | undefined;
  readonly sort?: TagSort | undefined;
}

/** Tags of performers whom this viewer may perceive and does not hide: of one gender, or of all. */
export function tagHandlers({ data: { clock }, directoryOf, viewerOf }: Browsing): CallHandler[] {
  const tagsFor = async (
    context: CallContext,
    { page = 1, sort = 'popular' }: Asked,
    genders?: readonly GenderCode[],
  ): Promise<TagsDataView> => {
    const directory = await directoryOf(context.scope.operatorId);
    const { sees, hidden } = await viewerOf(context);
    const entries: DirectoryEntry[] = [];
    const filter = { withoutIds: hidden, ...(genders ? { genders } : {}) };
    directory.each(filter, sees, clock.now().getTime(), (entry) => {
      entries.push(entry);
    });
    const all = tagsOf(entries, sort);
    return {
      combo: combosOf(entries)
        .map(({ tags, name, count, path }) => ({ tagList: [...tags], name, count, path })),
      tag_list: all.slice((page - 1) * TAGS_PAGE, page * TAGS_PAGE)
        .map(({ tags, name, count, viewers, path }) => ({ tag: tags.join(' '), name, count, viewers, path })),
      tag_count: all.length,
      page,
      perPageCount: TAGS_PAGE,
      sort,
    };
  };
  return [
    handleCall(tagIndex)((input, context) => tagsFor(context, input)),
    handleCall(tagsOfGender)(async ({ gender: slug, ...asked }, context) => {
      const gender = genderOfSlug(slug);
      return gender === null ? context.refuse(tagListUnknown) : tagsFor(context, asked, [gender]);
    }),
  ];
}
