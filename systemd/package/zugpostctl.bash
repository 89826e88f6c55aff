# Completion of zugpostctl and zugpostd for bash.
# shellcheck shell=bash
_zugpost_clubs() {
	local file
	for file in /etc/zugpost/*.conf; do
		[ -e "$file" ] || continue
		file=${file##*/}
		printf '%s\n' "${file%.conf}"
	done
}

_zugpostctl() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' i
	local rulings='uphold reject resume credit result draw annul adjudicate penalty lift rollback
		unclear correct move accept-address mobile'

	COMPREPLY=()
	case $before in
	--club)
		mapfile -t COMPREPLY < <(compgen -W "$(_zugpost_clubs)" -- "$word")
		return
		;;
	--config)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	--state)
		mapfile -t COMPREPLY < <(compgen -W 'scheduled active suspended finished' -- "$word")
		return
		;;
	--style)
		mapfile -t COMPREPLY < <(compgen -W 'iecc iccf export' -- "$word")
		return
		;;
	esac
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--config | --club | --now) i=$((i + 1)) ;;
		-*) ;;
		*)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	if [ -z "$command" ]; then
		mapfile -t COMPREPLY < <(compgen -W "--config --club --now --json --help --version
			$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z]*\).*/\1/p')" -- "$word")
		return
	fi
	case $command:$((COMP_CWORD - i)) in
	rule:2)
		mapfile -t COMPREPLY < <(compgen -W "$rulings" -- "$word")
		;;
	*)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "--json --config --club --now
				$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n "s/^  $command //p" |
				grep -o -- '--[a-z-]*')" -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		;;
	esac
}

_zugpostd() {
	local word=${COMP_WORDS[COMP_CWORD]}

	case ${COMP_WORDS[COMP_CWORD - 1]} in
	--club) mapfile -t COMPREPLY < <(compgen -W "$(_zugpost_clubs)" -- "$word") ;;
	--config) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	*)
		mapfile -t COMPREPLY < <(compgen -W '--config --club --once --now --check --online
			--help --version' -- "$word")
		;;
	esac
}
complete -F _zugpostctl zugpostctl
complete -F _zugpostd zugpostd
