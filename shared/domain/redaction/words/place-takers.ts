/** Lists programs whose operands are places, or names of what they change: people have to see these. */

const PLAIN =
  // Files and disks.
  'cat cd chgrp chmod chown cp dd find head ln ls mkdir mkfs mount mv rm rmdir rsync scp shred tail tar tee pushd touch truncate umount unlink ' +
  'copy copy-item del erase get-content move move-item new-item rd remove-item set-content ' +
  // Hosts.
  'dig host invoke-restmethod invoke-webrequest iwr nc ncat nslookup ping sftp telnet ' +
  // Processes, services and users.
  'groupdel kill killall pkill service stop-process stop-service systemctl taskkill userdel usermod ' +
  // Things of a platform.
  'aws createdb createuser dropdb dropuser gcloud git gsutil helm oc terraform tofu ' +
  // Packages: a name is code that runs.
  'apt apt-get brew cargo dnf gem go npm npx pip pip3 pipx pnpm uv uvx yarn yum';

/** Each with the letters of its options whose value may be a secret. */
export const PLACE_TAKERS: ReadonlyMap<string, string> = new Map([
  ...PLAIN.split(' ').map((name) => [name, ''] as const),
  ['az', 'p'],
  ['curl', 'AFHUbdeu'],
  ['docker', 'ep'],
  ['gh', 'Hbf'],
  ['kubectl', 'p'],
  ['podman', 'ep'],
  ['wget', 'U'],
]);

/** Words of these programs behind which another program has its own words, or a secret stands. */
export const RUNNERS: ReadonlySet<string> = new Set(['exec', 'run', '--', 'login']);
