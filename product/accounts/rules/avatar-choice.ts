/** Media types of files that become a picture. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** Why files that somebody chose are not sent, by what their browser says of them; null when they are. */
export type ChoiceFault = 'one_file' | 'not_image' | 'type';
export function choiceFault(files: readonly { readonly type: string }[]): ChoiceFault | null {
  const [file] = files;
  if (!file || files.length > 1) return 'one_file';
  if (!file.type.startsWith('image/')) return 'not_image';
  return (IMAGE_TYPES as readonly string[]).includes(file.type) ? null : 'type';
}
