"""Round trip times over time, before and after, side by side on one scale."""
import os

# Okabe and Ito's palette: told apart by colour-blind readers, and by lightness in grey.
COLOURS = {"before": "#D55E00", "after": "#0072B2"}
IDLE_COLOUR = "#333333"


def draw(directory, trips, figures, title):
    """Writes demo.png and demo.svg. `trips` and `figures` are keyed by phase: idle, before, after."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"font.size": 11, "svg.hashsalt": "sojourn", "axes.spines.top": False,
                                "axes.spines.right": False})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(11, 5.2), constrained_layout=True)
    top = max(rtt for phase in COLOURS for _, rtt in trips[phase] if rtt is not None)
    for axis, (phase, colour) in zip(axes, COLOURS.items()):
        _panel(axis, phase, colour, trips[phase], figures, top)
    axes[0].set_ylabel("round trip time of the probe [ms]")
    figure.suptitle(title, fontsize=13, fontweight="bold")
    for suffix in ("png", "svg"):
        figure.savefig(os.path.join(directory, f"demo.{suffix}"), dpi=150, metadata={"Date": None}
                       if suffix == "svg" else None)
    plt.close(figure)


def _panel(axis, phase, colour, trips, figures, top):
    arrived = [(t, rtt) for t, rtt in trips if rtt is not None]
    lost = [t for t, rtt in trips if rtt is None]
    axis.plot(*zip(*arrived), ".", markersize=3, color=colour, alpha=0.55, rasterized=True)
    if lost:
        axis.plot(lost, [1.06 * top] * len(lost), "x", markersize=5, color="black", label=f"{len(lost)} probes lost")
    rtt, idle = figures[phase]["rtt_ms"], figures["idle"]["rtt_ms"]["p50"]
    axis.axhline(rtt["p50"], color=colour, linewidth=2,
                 label=f"median {rtt['p50']:.1f} ms  (p99 {rtt['p99']:.1f}, worst {rtt['max']:.1f})")
    axis.axhline(idle, color=IDLE_COLOUR, linewidth=1.5, linestyle=(0, (4, 3)), label=f"idle line: median {idle:.1f} ms")
    what = "Before: no shaping" if phase == "before" else "After: sojourn shapes"
    axis.set_title(f"{what}, {figures[phase]['goodput_mbit']:.1f} Mbit/s goodput", color=colour, fontsize=12)
    axis.set_xlabel("time since the uploads began [s]")
    axis.set_xlim(0, max(t for t, _ in trips) + 0.2)
    axis.set_ylim(0, 1.3 * top)
    axis.grid(True, color="#dddddd", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.legend(loc="upper right", framealpha=0.95, fontsize=10)
