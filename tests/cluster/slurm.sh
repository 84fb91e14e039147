#!/usr/bin/env bash
# Play a tournament on SLURM, all of it on this machine, and cancel a job in the middle.
#
#     tests/cluster/slurm.sh          as root; needs slurmctld, slurmd, slurm-client and munge
#
# One node, proctrack/linuxproc and task/none: that works in containers too. Everything that is
# started is ended, and nothing is written but in a folder of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
chmod 755 "$folder"
bin=$PWD/.venv/bin
host=$(hostname -s)
pids=()
say() { echo "$(date +%T) $*"; }
finish() {
  scancel --name=dask-worker 2>/dev/null || true
  sleep 2
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  runuser -u munge -- munged --stop --socket="$folder/munge.socket" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

install -d -o munge -m 711 "$folder/munge"
runuser -u munge -- munged --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
  --seed-file="$folder/munge/seed" --log-file="$folder/munge/log" --force 2>/dev/null
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }
cat > "$folder/slurm.conf" <<END
ClusterName=highstreet
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
mkdir "$folder/state" "$folder/spool"
export SLURM_CONF=$folder/slurm.conf
slurmctld -D -f "$SLURM_CONF" & pids+=($!)
slurmd -D -f "$SLURM_CONF" & pids+=($!)
until sinfo -h -o %T 2>/dev/null | grep -q idle; do sleep 0.5; done
say "SLURM $(sinfo --version): $(sinfo -h)"

cat > "$folder/cup.toml" <<END
name = "SLURM"
secret = "$(printf '5ec2e7%.0s' {1..8})"
table_sizes = [2, 3]
sets_per_table = ${SETS:-12}
[time_control]
per_move = 60
[[entrants]]
name = "greedy"
bot = "greedy"
[[entrants]]
name = "random"
bot = "random"
[[entrants]]
name = "random 2"
bot = "random"
END
cd "$folder"
PYTHONUNBUFFERED=1 "$bin/python" "$OLDPWD/tournaments/examples/cluster/slurm.py" --jobs 2 --cores 1 \
  --memory 1GB --interface lo cup.toml --out out & run=$!
played() {
  "$bin/python" - <<'END'
import contextlib, sqlite3
with contextlib.suppress(sqlite3.Error):
    database = sqlite3.connect("file:out/tournament.db?mode=ro", uri=True, timeout=30)
    print(*database.execute("select count(*) from matches where state = 'played'").fetchone())
END
}
until [ "$(played || echo 0)" -ge 10 ] 2>/dev/null; do
  kill -0 $run || { say "the run ended too early"; exit 1; }
  sleep 0.5
done
job=$(squeue -h -t R -o %i | head -1)
say "cancelling job $job after $(played) matches"
scancel "$job"
wait $run
say "all matches: $(played)"
"$bin/highstreet" tournament verify out
