"""Round trip times over time, before and after, side by side on one scale."""
import os

# Okabe and Ito's palette: told apart by colour-blind readers, and by lightness in grey.
COLOURS = {"before": "#D55E00", "after": "#0072B2"}
IDLE_COLOUR = "#333333"
IDLE_DASHES = (0, (4, 3))



def draw(directory, trips, figures, title, shaped_to):
    """Writes demo.png and demo.svg. `trips` and `figures` are keyed by phase: idle, before, after."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"font.size": 11, "svg.hashsalt": "sojourn", "axes.spines.top": False,
                                "axes.spines.right": False})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(11.5, 5.4), constrained_layout=True)
    figure.get_layout_engine().set(w_pad=0.15)
    top = max(rtt for phase in COLOURS for _, rtt in trips[phase] if rtt is not None)
    what = {"before": "Before: no shaping", "after": f"After: sojourn shapes to {shaped_to}"}
    for axis, phase in zip(axes, COLOURS):
        _panel(axis, phase, trips[phase], figures, top)
        axis.set_title(f"{what[phase]} - goodput {figures[phase]['goodput_mbit']:.1f} Mbit/s", color=COLOURS[phase],
                       fontsize=12)
    if figures["after"]["rtt_ms"]["max"] < top / 3:
        _enlarge(axes[1], "after", trips["after"], figures)
    axes[0].set_ylabel("round trip time of a small packet [ms]")
    figure.suptitle(title, fontsize=13, fontweight="bold")
    for suffix, metadata in (("png", None), ("svg", {"Date": None})):
        figure.savefig(os.path.join(directory, f"demo.{suffix}"), dpi=150, metadata=metadata)
    plt.close(figure)


def _points(axis, phase, trips):
    arrived = [(t, rtt) for t, rtt in trips if rtt is not None]
    axis.plot(*zip(*arrived), ".", markersize=3, color=COLOURS[phase], alpha=0.6, rasterized=True)
    axis.set_xlim(0, max(t for t, _ in trips))
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(True, color="#dddddd", linewidth=0.7)
    axis.set_axisbelow(True)


def _panel(axis, phase, trips, figures, top):
    _points(axis, phase, trips)
    lost = [t for t, rtt in trips if rtt is None]
    if lost:
        axis.plot(lost, [1.06 * top] * len(lost), "x", markersize=5, color="black", label=f"{len(lost)} probes lost")
    rtt, idle = figures[phase]["rtt_ms"], figures["idle"]["rtt_ms"]["p50"]
    axis.axhline(rtt["p50"], color=COLOURS[phase], linewidth=2,
                 label=f"median {rtt['p50']:.1f} ms (p99 {rtt['p99']:.1f}, worst {rtt['max']:.1f})")
    axis.axhline(idle, color=IDLE_COLOUR, linewidth=1.5, linestyle=IDLE_DASHES, label=f"median when idle {idle:.1f} ms")
    axis.set_xlabel("time since the uploads began [s]")
    axis.set_ylim(0, 1.3 * top)
    axis.legend(loc="upper right", framealpha=0.95, fontsize=10)


def _enlarge(axis, phase, trips, figures):
    """On the common scale a good result is a line: here is what it is made of."""
    inset = axis.inset_axes((0.1, 0.22, 0.87, 0.42))
    _points(inset, phase, trips)
    rtt, idle = figures[phase]["rtt_ms"], figures["idle"]["rtt_ms"]["p50"]
    inset.axhline(rtt["p50"], color=COLOURS[phase], linewidth=1.5)
    inset.axhline(idle, color=IDLE_COLOUR, linewidth=1.2, linestyle=IDLE_DASHES)
    low = min(idle, min(rtt for _, rtt in trips if rtt is not None))
    margin = 0.15 * (rtt["max"] - low) + 0.5
    inset.set_ylim(low - margin, rtt["max"] + margin)
    inset.tick_params(labelsize=9)
    inset.set_title("the same, enlarged [ms]", fontsize=10, loc="left")
