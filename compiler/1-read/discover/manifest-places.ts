/** The host that reads a manifest, as far as that changes what its `skills` field means. */
export type ManifestHost = 'claude' | 'other'

/** The folders of a repository or plugin that hold manifests, in the order in which they count. */
const FOLDERS = [
  '.plugin/',
  '',
  '.github/plugin/',
  '.claude-plugin/',
  '.agents/plugins/',
  '.codex-plugin/',
  '.cursor-plugin/',
]

/** A place where a manifest may be, relative to the folder that it describes. */
export interface ManifestPlace {
  path: string
  /** `marketplace`: it lists plugins. `plugin`: it describes the folder itself. */
  kind: 'marketplace' | 'plugin'
  host: ManifestHost
}

/** All places of manifests, in the order in which they count. */
export const MANIFEST_PLACES: readonly ManifestPlace[] = FOLDERS.flatMap(folder =>
  (['marketplace', 'plugin'] as const).map(kind => ({
    path: `${folder}${kind}.json`,
    kind,
    host: folder === '.claude-plugin/' ? ('claude' as const) : ('other' as const),
  })),
)

/** The names that a folder's listing has where there may be a manifest. */
const FIRST_NAMES = new Set(MANIFEST_PLACES.map(({ path }) => path.split('/')[0] ?? ''))

/**
 * True where a folder of such entries may have a manifest. A skill may have a `plugin.json` among its
 * resources.
 */
export function mayHaveManifest(listing: readonly { name: string }[], isSkill: () => boolean): boolean {
  if (!listing.some(({ name }) => FIRST_NAMES.has(name))) return false
  return !isSkill() || listing.some(({ name }) => name.startsWith('.') && FIRST_NAMES.has(name))
}
