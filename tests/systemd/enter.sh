#!/bin/sh
# enter.sh SCRATCH GROUP [outer|inner]: systemd as PID 1 of namespaces of its own, over a copy of
# this machine's files that costs nothing and leaves nothing. Started by box.py within a mount
# namespace.
#
# The clock is the machine's own: whatever could set it is taken away.
set -eu
scratch=$1
group=$2
kept=-sys_time,-sys_module,-sys_rawio,-syslog,-mac_admin,-wake_alarm

if [ "${3-outer}" = outer ]; then
	mkdir "$scratch/groups"
	mount -t cgroup2 cgroup2 "$scratch/groups"
	mkdir "$scratch/groups/$group"
	echo $$ >"$scratch/groups/$group/cgroup.procs"
	exec unshare --fork --kill-child --pid --mount --uts --ipc --cgroup --net \
		sh "$0" "$scratch" "$group" inner
fi

mount --make-rprivate /
mkdir "$scratch/layer"
mount -t tmpfs tmpfs "$scratch/layer"
mkdir "$scratch/layer/upper" "$scratch/layer/work" "$scratch/layer/root"
root=$scratch/layer/root
mount -t overlay overlay \
	-o "lowerdir=/,upperdir=$scratch/layer/upper,workdir=$scratch/layer/work" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null:3 zero:5 full:7 random:8 urandom:9; do
	mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
done
mknod -m 666 "$root/dev/tty" c 5 0
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
cp -a "$scratch/files/." "$root/"
hostname box
cd "$root"
mkdir old
pivot_root . old
umount -l /old
rmdir /old
# Without this, LoadCredential= gives an empty folder.
mount --make-rshared /
exec env -i container=box PATH=/usr/sbin:/usr/bin setpriv --bounding-set "$kept" \
	/lib/systemd/systemd --system systemd.unit=basic.target systemd.mask=apt-daily.timer \
	systemd.mask=systemd-journald-audit.socket >/dev/null 2>&1
